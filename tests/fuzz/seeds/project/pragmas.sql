PRAGMA encoding = 'UTF-16'; PRAGMA page_size = 512; PRAGMA auto_vacuum = 1; VACUUM; PRAGMA journal_mode = WAL; PRAGMA user_version = 1; PRAGMA application_id = 7
