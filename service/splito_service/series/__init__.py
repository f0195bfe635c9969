"""Series of tournaments: a template, and a rule by which its tournaments are created again and again."""
