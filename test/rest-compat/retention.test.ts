import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const path = '/settings/retention';
const change = (body: unknown) => call(api, 'PATCH', path, { body });
const defaults = { run_days: 90, step_days: 90, log_days: 30, audit_days: 365, updated_at: null };

describe('/settings/retention', () => {
  test('returns the defaults for a tenant without settings, and a user may read them', async () => {
    const answer = await call(api, 'GET', path, { as: { roles: ['user'] } });
    expect([answer.status, answer.body]).toEqual([200, defaults]);
  });

  test('changes only given members, only for this tenant, and writes an audit entry', async () => {
    const changed = await change({ run_days: 7, audit_days: null, tenant_id: 'acme-outlet' });
    const stored = { ...defaults, run_days: 7, audit_days: null, updated_at: expect.any(String) };
    expect([changed.status, changed.body]).toEqual([200, stored]);
    expect((await call(api, 'GET', path)).body).toEqual(stored);
    expect((await call(api, 'GET', path, { as: { tenant: 'acme-outlet' } })).body).toEqual(defaults);
    const log = await call(api, 'GET', '/audit-logs?resource_type=retention');
    expect(log.body['data']).toMatchObject([
      {
        action: 'update',
        resource_id: 'acme-shop',
        metadata: { before: { runDays: 90, auditDays: 365 }, after: { runDays: 7, auditDays: null } },
      },
    ]);
    expect((await change({ run_days: 7 })).status).toBe(200);
    const again = await call(api, 'GET', '/audit-logs?resource_type=retention');
    expect(again.body['data']).toHaveLength(1);
  });

  test.each([
    ['run_days', 1],
    ['step_days', 3_650],
    ['log_days', null],
  ])('takes %s of %j', async (field, days) => {
    expect(await change({ [field]: days })).toMatchObject({ status: 200, body: { [field]: days } });
  });

  test.each([
    ['run_days', 0],
    ['step_days', 3_651],
    ['log_days', 1.5],
    ['audit_days', '7'],
    ['audit_days', -1],
    ['run_days', 1e300],
    ['run_days', true],
  ])('answers 422 errors.%s to %j', async (field, days) => {
    const answer = await change({ [field]: days });
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: expect.any(Array) } } });
  });

  test('can be changed only by an admin', async () => {
    const answer = await call(api, 'PATCH', path, { body: { run_days: 5 }, as: { roles: ['user'] } });
    expect(answer).toMatchObject({ status: 403, body: { message: 'This action is unauthorized.' } });
  });
});
