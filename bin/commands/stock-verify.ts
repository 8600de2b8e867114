import { type Command, CommandError, textOption } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import type { Difference } from '#src/commerce/stock/stock-verification.store.ts';

/** The number of differences that are printed; the rest is only counted. */
const printedAtMost = 1_000;

export const command: Command = {
  usage: '[options]',
  options: { tenant: { type: 'string', about: 'Only this tenant; left out: all.' } },
  async run(values, _positionals, io) {
    const only = textOption(values, 'tenant');
    const printed: (Difference & { tenant: string })[] = [];
    let tenants = 0;
    let count = 0;
    await withDatabase(readSettings(io), async (database) => {
      if (only !== undefined && !(await database.global.tenant.findUnique({ where: { id: only } })))
        throw new CommandError(`There is no tenant ${only}.`);
      for await (const { tenantId, differences, isLast } of verifyStock(database, only)) {
        count += differences.length;
        for (const each of differences.slice(0, printedAtMost - printed.length))
          printed.push({ tenant: tenantId, ...each });
        if (!isLast) continue;
        tenants += 1;
        io.err(`${tenantId}: verified, ${count} ${count === 1 ? 'difference' : 'differences'} so far\n`);
      }
    });
    if (values.json === true) {
      const rows = printed.map(({ onHand, ledgerOnHand, ledgerReserved, ...row }) => ({
        ...row,
        on_hand: onHand,
        ledger_on_hand: ledgerOnHand,
        ledger_reserved: ledgerReserved,
      }));
      io.out(`${JSON.stringify({ tenants, count, differences: rows })}\n`);
    } else {
      for (const { tenant, sku, location, ...is } of printed)
        io.out(
          `${tenant}  ${sku}  ${location}  on hand ${is.onHand}, ledger ${is.ledgerOnHand}  reserved ${is.reserved}, ledger ${is.ledgerReserved}, reservations ${is.held}\n`,
        );
      io.out(
        count === 0
          ? `All balances are the sums of the ledger. Tenants checked: ${tenants}.\n`
          : `${count} balances differ.\n`,
      );
    }
    return count > 0 ? 1 : 0;
  },
};
