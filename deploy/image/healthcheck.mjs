// Ends with 0 while the process is alive, for HEALTHCHECK. It does not ask for the database: a restart would not bring that back.
import { env } from 'node:process';

const response = await fetch(`http://127.0.0.1:${env.METRICS_PORT || 9464}/healthz`, {
  signal: AbortSignal.timeout(4_000),
});
if (!response.ok) throw new Error(`/healthz answered ${response.status}.`);
