import pg from 'pg';
import { describe, expect, onTestFinished } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

describe.skipIf(browserIsMissing)(`A tenant that moves between installations${skippedSuffix}`, () => {
  test('has a notice above every page while it is closed, and other tenants have none', async ({
    served,
    database,
    context,
  }) => {
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    onTestFinished(() => owner.end());
    await owner.query(
      `INSERT INTO tenant_moves (tenant, move_id, direction, moves_to) VALUES ('acme-shop', gen_random_uuid(), 'out', 'https://b.example')`,
    );
    const page = await openSignedIn(context, `${served.url}t/acme-shop/runs`);
    const notice = page.getByRole('status').filter({ hasText: 'another installation' });
    const show = async (path: string): Promise<string[]> => {
      await page.goto(`${served.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return notice.allTextContents();
    };
    expect(await show('t/acme-shop/runs')).toEqual([]);
    await owner.query(`UPDATE tenant_moves SET state = 'closed'`);
    const leaves = [expect.stringContaining('has moved there: https://b.example. It can be read here as it was')];
    expect(await show('t/acme-shop/runs')).toEqual(leaves);
    expect(await show('t/acme-shop/orders')).toEqual(leaves);
    expect(await show('t/acme-outlet/runs')).toEqual([]);
    await owner.query(`UPDATE tenant_moves SET direction = 'in'`);
    expect(await show('t/acme-shop/runs')).toEqual([expect.stringContaining('arrives from another installation')]);
  });
});
