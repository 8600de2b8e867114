/**
 * The load itself, on raw sockets: with few cores a client library takes processor time from the server under test; docs/benchmarks.md has
 * the comparison.
 */
import { performance } from 'node:perf_hooks';
import { useConnection } from './http-connection.ts';
import type { FramedResponse } from './http-framing.ts';
import type { LoadPlan, LoadRequest, LoadResult } from './load.ts';
import { summarise } from './stats.ts';

const maxReconnects = 1000;
const maxRequests = 2_000_000;

function serialise(request: LoadRequest, port: number): Buffer {
  const body = request.body ?? '';
  const headers: Record<string, string> = { host: `127.0.0.1:${port}`, ...request.headers };
  if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
}

class Load {
  readonly #plan: Required<LoadPlan>;
  readonly #requests: Buffer[];
  readonly #rejected: Buffer | undefined;
  readonly #latencies: Float64Array;
  readonly #errorKinds: Record<string, number> = {};
  readonly #bodyBytes = { min: Infinity, max: 0 };
  #countFrom = 0;
  #stopAt = 0;
  #sent = 0;
  #sentCounted = 0;
  #good = 0;
  #errors = 0;
  #reconnects = 0;
  #endedAt = 0;
  #sample: Buffer | undefined;

  constructor(plan: Required<LoadPlan>) {
    this.#plan = plan;
    this.#requests = plan.requests.map((request) => serialise(request, plan.port));
    this.#rejected = plan.rejectBody === '' ? undefined : Buffer.from(plan.rejectBody);
    this.#latencies = new Float64Array(Math.min(plan.maxRequests, maxRequests));
  }

  async run(): Promise<LoadResult> {
    const began = performance.now();
    this.#countFrom = began + this.#plan.warmupMs;
    this.#stopAt = this.#countFrom + this.#plan.durationMs;
    const cpuBefore = process.cpuUsage();
    await Promise.all(Array.from({ length: this.#plan.connections }, () => this.#keepBusy()));
    const cpu = process.cpuUsage(cpuBefore);
    const elapsedMs = Math.max(this.#endedAt - this.#countFrom, Number.EPSILON);
    return {
      requests: this.#good,
      errors: this.#errors,
      errorKinds: this.#errorKinds,
      rps: (this.#good / elapsedMs) * 1000,
      elapsedMs,
      latencyMs: summarise(this.#latencies.subarray(0, this.#good)),
      bodyBytes: this.#bodyBytes,
      sample: this.#sample?.toString('utf8') ?? '',
      startedAt: performance.timeOrigin + this.#countFrom,
      generatorLoad: (cpu.user + cpu.system) / 1000 / (performance.now() - began),
    };
  }

  /** Keeps one connection busy until the time is over, opening another when it is lost. */
  async #keepBusy(): Promise<void> {
    const events = {
      nextRequest: () => this.#nextRequest(),
      answered: (response: FramedResponse, sentAt: number) => this.#answered(response, sentAt),
      lost: (kind: string, sentAt: number) => this.#fail(kind, sentAt),
    };
    while (this.#mayGoOn() && this.#reconnects <= maxReconnects) {
      await useConnection(this.#plan.port, this.#plan.timeoutMs, events);
      this.#reconnects += 1;
    }
  }

  #mayGoOn(): boolean {
    return performance.now() < this.#stopAt && this.#sentCounted < this.#latencies.length;
  }

  #nextRequest(): Buffer | undefined {
    if (!this.#mayGoOn()) return undefined;
    const request = this.#requests[this.#sent % this.#requests.length];
    this.#sent += 1;
    if (performance.now() >= this.#countFrom) this.#sentCounted += 1;
    return request;
  }

  #answered(response: FramedResponse, sentAt: number): void {
    const { status, body } = response;
    if (status < 200 || status > 299) return this.#fail(`status ${status}`, sentAt);
    if (this.#rejected !== undefined && body.includes(this.#rejected)) return this.#fail('rejected body', sentAt);
    if (!this.#counts(sentAt)) return undefined;
    this.#latencies[this.#good] = this.#endedAt - sentAt;
    this.#good += 1;
    this.#bodyBytes.min = Math.min(this.#bodyBytes.min, body.length);
    this.#bodyBytes.max = Math.max(this.#bodyBytes.max, body.length);
    this.#sample ??= Buffer.from(body);
    return undefined;
  }

  #fail(kind: string, sentAt: number): void {
    if (!this.#counts(sentAt)) return;
    this.#errors += 1;
    this.#errorKinds[kind] = (this.#errorKinds[kind] ?? 0) + 1;
  }

  /** Only requests sent inside the measured time count; the end of the last of them ends it. */
  #counts(sentAt: number): boolean {
    if (sentAt < this.#countFrom) return false;
    this.#endedAt = performance.now();
    return true;
  }
}

process.once('message', (plan) => {
  new Load(plan as Required<LoadPlan>).run().then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error;
    },
  );
});
