"""Makes tasks over a world and proves them: from tables, pages and an index to tasks with exact gold."""
