-- An import leaves a trace of the prices that it changes where nobody wants their events. Their events are made of the prices themselves
-- where somebody has begun to want them before the import committed.
GRANT SELECT ON "prices", "price_lists" TO causeway_system;
