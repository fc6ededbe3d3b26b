-- What the second edition knows of a run: in whose words the hook speaks, the fields of its reply
-- that the event doesn't know (a JSON list of texts), and whether it wrote a refusal without effect.
ALTER TABLE runs ADD COLUMN dialect TEXT NOT NULL DEFAULT 'hookloop';
ALTER TABLE runs ADD COLUMN unknown_fields TEXT;
ALTER TABLE runs ADD COLUMN lost_refusal INTEGER NOT NULL DEFAULT 0;
