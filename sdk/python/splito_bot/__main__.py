"""`python -m splito_bot` is `splito-bot`."""

import sys

from splito_bot.program import main

sys.exit(main())
