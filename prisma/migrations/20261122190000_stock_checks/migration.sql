-- What the nightly comparison of balances and ledger found, of all tenants: one row.
CREATE TABLE "stock_checks" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "checked_at" TIMESTAMPTZ(3) NOT NULL,
    "differences" INTEGER NOT NULL,

    CONSTRAINT "stock_checks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "stock_checks_one_row" CHECK ("id")
);
GRANT SELECT, INSERT, UPDATE ON "stock_checks" TO causeway_system;

-- Balances at which reservations expired are locked as the system, which takes the right to update some column.
GRANT UPDATE ("reorder_point") ON "stock_balances" TO causeway_system;
