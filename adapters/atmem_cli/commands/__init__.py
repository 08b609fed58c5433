"""One module for each family of commands; ``atmem_cli.main`` names them."""
