import { expect, test } from 'vitest';
import { openMetricsServer } from '#src/process/metrics/metrics-server.ts';

test('a taken port is named, and the setting that chooses another', async () => {
  const server = await openMetricsServer({ host: '127.0.0.1', port: 0 });
  try {
    await expect(openMetricsServer({ host: '127.0.0.1', port: server.port })).rejects.toThrow(
      `Port ${server.port} of 127.0.0.1 is in use. Stop what listens there, or set METRICS_PORT to another one (0 picks a free one).`,
    );
  } finally {
    await server.close();
  }
});

test('a process that starts is alive and not ready', async () => {
  const server = await openMetricsServer({ host: '127.0.0.1', port: 0 });
  try {
    const paths = ['/healthz', '/readyz', '/metrics', '/'];
    const answers = await Promise.all(paths.map((path) => fetch(`http://127.0.0.1:${server.port}${path}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 503, 404]);
  } finally {
    await server.close();
  }
});
