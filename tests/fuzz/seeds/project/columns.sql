ALTER TABLE setting ADD COLUMN twice TEXT AS (value || value); ALTER TABLE document RENAME COLUMN json TO text; ALTER TABLE run DROP COLUMN name
