import { expect, test } from 'vitest';
import { createLogger, type LoggerOptions } from '#src/infra/logs/logger.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';

const capture = (options: Partial<LoggerOptions> = {}) => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) }, ...options });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
};

test('a line has time, level by name, message and properties', () => {
  const { logger, last } = capture();
  logger.info({ runId: 7 }, 'run finished');
  expect(last()).toMatchObject({ level: 'info', msg: 'run finished', runId: 7 });
  expect(Date.parse(String(last()['time']))).not.toBeNaN();
});

test('lines under the level are not written', () => {
  const { logger, lines } = capture({ level: 'warn' });
  logger.info('quiet');
  logger.warn('loud');
  expect(lines).toHaveLength(1);
});

test.each([
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'x-platform-api-key',
  'X-Platform-Api-Key',
  'password',
  'secret',
  'client_secret',
  'clientSecret',
  'token',
  'access_token',
  'refreshToken',
])('a property named %s is never written, at any depth', (name) => {
  const { logger, lines, last } = capture();
  logger.info({
    [name]: 'sesame',
    request: { headers: { [name]: ['sesame'] } },
    list: [{ deep: { er: { [name]: { a: 'sesame' } } } }],
  });
  logger.child({ [name]: 'sesame' }).info('child');
  logger.error(Object.assign(new Error('failed'), { config: { headers: { [name]: 'sesame' } } }));
  expect(lines.join('')).not.toContain('sesame');
  expect(lines).toHaveLength(3);
  expect(last()).toMatchObject({
    msg: 'failed',
    err: { message: 'failed', config: { headers: { [name]: '[redacted]' } } },
  });
});

test('names that only resemble a secret stay readable', () => {
  const { logger, last } = capture();
  logger.info({ tokenCount: 3, secretKey: undefined, passwordChangedAt: '2030-01-01' });
  expect(last()).toMatchObject({ tokenCount: 3, passwordChangedAt: '2030-01-01' });
});

test('a known secret value is removed wherever it occurs, and the line stays JSON', () => {
  const redactor = createRedactor();
  redactor.add('quo"te\\d-secret');
  const { logger, lines, last } = capture({ redactor });
  logger.error(
    { err: new Error('sent quo"te\\d-secret'), note: 'x quo"te\\d-secret y' },
    'said %s',
    'quo"te\\d-secret',
  );
  expect(lines.join('')).not.toContain('d-secret');
  expect(last()).toMatchObject({ msg: 'said [redacted]', note: 'x [redacted] y', err: { message: 'sent [redacted]' } });
});

test('a cyclic or very deep object neither throws nor grows', () => {
  const { logger, lines } = capture();
  const cyclic: Record<string, unknown> = { name: 'loop' };
  cyclic['self'] = cyclic;
  logger.info(cyclic, 'still here');
  expect(lines[0]).toContain('still here');
  expect(lines[0]?.length).toBeLessThan(1_000);
});

test('pretty output is one readable line, with the stack under it', () => {
  const { logger, lines } = capture({ pretty: true });
  logger.info({ port: 4000 }, 'listening');
  logger.error(new Error('broken'));
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}listening \{"port":4000\}\n$/);
  expect(lines[1]).toContain('ERROR broken\nError: broken\n    at ');
});
