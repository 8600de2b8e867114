// Exits with 0 while the process is alive, for HEALTHCHECK. It does not ask for the database: a restart would not bring that back.
const port = process.env.METRICS_PORT || 9464;
const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) });
process.exit(response.ok ? 0 : 1);
