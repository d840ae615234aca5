DROP TABLE setting; CREATE VIEW setting AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT 'k'||x AS key, hex(zeroblob(1000)) AS value FROM c
