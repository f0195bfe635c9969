"""`splito league`: a folder of bots as a local ladder."""
