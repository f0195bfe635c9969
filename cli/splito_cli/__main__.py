"""`python -m splito_cli` runs `splito`."""

import sys

from splito_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
