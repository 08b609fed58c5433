"""``python -m atmem_cli`` is ``atmem``."""

from atmem_cli.main import main

main()
