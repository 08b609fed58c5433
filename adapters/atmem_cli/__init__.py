"""The command line of atmem-core: ``atmem``, or ``python -m atmem_cli``."""
