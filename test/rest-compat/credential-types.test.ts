import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { test } from '#test/setup/app-test.ts';
import { call } from './rest.ts';

describe('credential types', () => {
  test('are listed by slug, with the fields of the form and nothing else', async ({ api }) => {
    const { status, body } = await call(api, 'GET', '/credential-types', { as: { roles: ['user'], tenant: null } });
    expect(status).toBe(200);
    const types = body['data'] as unknown as Record<string, unknown>[];
    expect(types.map(({ slug }) => slug)).toEqual([
      'core:api-key',
      'core:basic',
      'core:bearer',
      'core:client-certificate',
      'core:ftp',
      'core:imap',
      'core:imap-oauth2',
      'core:mysql',
      'core:oauth2',
      'core:postgres',
      'core:s3',
      'core:session',
      'core:sftp',
      'core:smtp',
    ]);
    expect(types[2]).toEqual({
      slug: 'core:bearer',
      version: '1.0.0',
      name: 'Bearer token',
      description: expect.any(String),
      icon: null,
      images: [],
      auth_kind: 'secret',
      fields: [
        { key: 'token', type: 'secret', label: 'Token', required: true },
        expect.objectContaining({ key: 'test_url', type: 'url' }),
      ],
    });
    expect(types[8]).toMatchObject({ auth_kind: 'oauth2' });
  });

  test('are shown individually, and an unknown one is not found', async ({ api }) => {
    const found = await call(api, 'GET', '/credential-types/core:basic');
    expect(found).toMatchObject({ status: 200, body: { data: { slug: 'core:basic' } } });
    for (const slug of ['core:none', 'nothing', '%00', '__proto__']) {
      const missing = await call(api, 'GET', `/credential-types/${slug}`);
      expect(missing).toMatchObject({ status: 404, body: { message: 'Not found.' } });
    }
  });
});

describe("a package's credential type", () => {
  test('shows its images by signed links that are public', async ({ api }) => {
    const archive = await packNodePackage(fileURLToPath(new URL('../../examples/erp-nodes/', import.meta.url)));
    await registerNodePackage(api.deps, { orgId: 'acme', archive });
    const { body } = await call(api, 'GET', '/credential-types/erp:api');
    const { icon } = body['data'] as unknown as { icon: string };
    const { pathname, search } = new URL(icon);
    const image = await call(api, 'GET', pathname + search, { as: { bearer: null } });
    expect(image).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('image/svg') } });
    const forged = await call(api, 'GET', `${pathname}${search}0`, { as: { bearer: null } });
    expect(forged).toMatchObject({ status: 403, body: { message: 'Invalid signature.' } });
  });
});
