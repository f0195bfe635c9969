"""Scalars that the schemas of several concepts share: ids, names, counts and addresses."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from splito_arena.blocks.ledger import BLOCK_PATTERN
from splito_arena.net.allowed_addresses import LONGEST_URL
from splito_service.ids import ID_PATTERN

EXAMPLE_SECRET = "whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUtZXhhbXBsZSE="  # noqa: S105 (of no bot)

Id: TypeAlias = Annotated[str, Meta(pattern=ID_PATTERN, examples=["06gpr1k08099qgdgdpas627q"])]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Note: TypeAlias = Annotated[str, Meta(max_length=64)]
Url: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_URL)]
Hex: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
TurnNumber: TypeAlias = Annotated[int, Meta(ge=0)]
BotWord: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64, examples=["planner", "06gpr1k08099qgdgdpas627q"])]
VersionId: TypeAlias = Annotated[str, Meta(examples=["06gpr1k08099qgdgdpas627q@1.2.0"])]
BlockId: TypeAlias = Annotated[str, Meta(pattern=BLOCK_PATTERN, examples=["00000002-0001-00013"])]
Secret: TypeAlias = Annotated[str, Meta(pattern="^whsec_[A-Za-z0-9+/]+=*$", examples=[EXAMPLE_SECRET])]
