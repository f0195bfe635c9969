"""`python -m splito_bot` runs `splito-bot`."""

import sys

from splito_bot.program import main

sys.exit(main())
