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
    const expectNotices = async (path: string, notices: unknown[]): Promise<void> => {
      await page.goto(`${served.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => notice.allTextContents(), { timeout: 20_000 }).toEqual(notices);
    };
    await expectNotices('t/acme-shop/runs', []);
    await owner.query(`UPDATE tenant_moves SET state = 'closed'`);
    const leaves = [expect.stringContaining('has moved there: https://b.example. It can be read here as it was')];
    await expectNotices('t/acme-shop/runs', leaves);
    await expectNotices('t/acme-shop/orders', leaves);
    await expectNotices('t/acme-outlet/runs', []);
    await owner.query(`UPDATE tenant_moves SET direction = 'in'`);
    await expectNotices('t/acme-shop/runs', [expect.stringContaining('arrives from another installation')]);
  });
});
