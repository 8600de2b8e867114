import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';

interface Links {
  links: { href: string }[];
}

test('the root returns a page of links to a browser, and the same as JSON to other clients', async ({ api }) => {
  const page = await api.app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  const data = await api.app.inject({ url: '/', headers: { accept: '*/*' } });
  const { links } = data.json<Links>();
  expect(links.length).toBeGreaterThan(3);
  for (const { href } of links) {
    expect(page.payload).toContain(`href="${href}"`);
    const { statusCode } = await api.app.inject({ url: href, headers: { accept: 'text/html' } });
    expect([href, statusCode]).not.toEqual([href, 404]);
  }
});
