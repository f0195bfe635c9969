-- Stores a new tournament if its owner has room for it.
--
-- KEYS and ARGV are those of `store_tournament`, whose answer it returns.
return store_tournament(KEYS, ARGV)
