-- Whose session a run belongs to, where it isn't one of this program (NULL), and whether the hook was
-- in shadow, so that its answer had no effect.
ALTER TABLE runs ADD COLUMN agent TEXT;
ALTER TABLE runs ADD COLUMN shadow INTEGER NOT NULL DEFAULT 0;
