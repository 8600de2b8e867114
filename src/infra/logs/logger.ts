import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  type Level,
  type Logger as PinoLogger,
  pino,
} from 'pino';
import { openLogOutput } from './log-output.ts';
import { redacted, type Redactor } from './redact.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  level: Level | 'silent';
  /** Removes known secret values from every line, wherever they occur. */
  redactor?: Redactor;
  /** Default: standard output. */
  destination?: DestinationStream;
  /** One readable line instead of JSON. Default: when standard output is a terminal and no destination is given. */
  pretty?: boolean;
}

/** Properties whose values are never logged, at any depth and in any spelling: `X-Api-Key`, `clientSecret`. */
const secretName =
  /^(authorization|proxyauthorization|cookie|setcookie|xplatformapikey|xapikey|apikey|password|passphrase|secret|clientsecret|token|(access|refresh|id|bearer)token|privatekey)$/;

const isSecretName = (name: string): boolean => secretName.test(name.replace(/[-_]/g, '').toLowerCase());

const maxDepth = 8;

/**
 * Copies a log line's properties and replaces the values of secret ones. Pino's own `redact` takes fixed paths: it misses a
 * name one level deeper or in another case.
 */
const hideSecrets = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, depth + 1));
  // Dates, errors and buffers have their own serialisation.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecretName(name) ? redacted : hideSecrets(item, depth + 1)]),
  );
};

const hideProperties = (properties: object): Record<string, unknown> =>
  hideSecrets({ ...properties }) as Record<string, unknown>;

/** Libraries attach objects to their errors, for example a request with its headers. */
const writeError = (error: unknown): unknown =>
  error instanceof Error ? hideProperties(pino.stdSerializers.err(error)) : hideSecrets(error);

const prettyLine = (line: string): string => {
  const {
    level,
    time,
    msg,
    pid: _pid,
    hostname: _hostname,
    err,
    ...rest
  } = JSON.parse(line) as Record<string, unknown>;
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  const extra = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  return `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${typeof msg === 'string' ? msg : ''}${extra}${stack}\n`;
};

/** Writes JSON lines with ISO times and level names, without secrets by name (at any depth) or by value (the redactor). */
export const createLogger = ({ level, redactor, destination, pretty }: LoggerOptions): Logger => {
  const isPretty = pretty ?? (destination === undefined && process.stdout.isTTY);
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: writeError, error: writeError },
    formatters: {
      level: (label: string) => ({ level: label }),
      bindings: hideProperties,
      log: hideProperties,
    },
    hooks: {
      streamWrite: (line: string): string => {
        const clean = redactor ? redactor.text(line) : line;
        return isPretty ? prettyLine(clean) : clean;
      },
    },
  };
  const logger: Logger = pino(options, destination ?? openLogOutput(process.stdout.fd));
  // Pino writes a child's bindings once and past `formatters`; children inherit this method.
  // oxlint-disable-next-line typescript/unbound-method -- applied to the logger it is called on, below
  const { child } = logger;
  const childWithoutSecrets = function (this: Logger, bindings: Bindings, childOptions?: ChildLoggerOptions): Logger {
    return Reflect.apply(child, this, [hideProperties(bindings), childOptions]) as Logger;
  };
  return Object.assign(logger, { child: childWithoutSecrets });
};
