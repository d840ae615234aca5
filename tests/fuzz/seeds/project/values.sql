INSERT INTO document VALUES(9, 9223372036854775807, 'run', x'00ff', '{', -1); INSERT INTO event VALUES(7, -1, '', zeroblob(70000)); DELETE FROM prediction; UPDATE run SET id = -1
