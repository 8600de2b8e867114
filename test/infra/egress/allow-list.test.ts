import { expect, test } from 'vitest';
import { isAllowed, parseAllowList } from '#src/infra/egress/allow-list.ts';

test('an entry allows only its host at its port', () => {
  const allow = parseAllowList('erp.internal:8080, [::1]:9000 ,127.0.0.1:5000,');
  expect(isAllowed(allow, 'erp.internal', 8080)).toBe(true);
  expect(isAllowed(allow, 'ERP.internal.', 8080)).toBe(true);
  expect(isAllowed(allow, '0:0:0:0:0:0:0:1', 9000)).toBe(true);
  expect(isAllowed(allow, '[::ffff:127.0.0.1]', 5000)).toBe(true);
  expect(isAllowed(allow, 'erp.internal', 8081)).toBe(false);
  expect(isAllowed(allow, 'a.erp.internal', 8080)).toBe(false);
  expect(isAllowed(allow, '127.0.0.2', 5000)).toBe(false);
});

test('an empty list allows nothing', () => {
  expect(parseAllowList('').size).toBe(0);
  expect(parseAllowList(' , ').size).toBe(0);
});

test.each(['erp.internal', 'erp.internal:0', 'erp.internal:70000', 'http://erp:80', '*:80', '::1:80', 'a b:80', ':80'])(
  '"%s" stops the start and is named',
  (entry) => {
    expect(() => parseAllowList(`ok:80,${entry}`)).toThrow(
      /^EGRESS_ALLOW: ".*" (is not host:port|has no port|is a URL); write/,
    );
  },
);
