import { NodeError } from '#src/automation/node-api/node-error.ts';
import { EgressError, toEgressError } from '#src/infra/egress/errors.ts';

interface Kind {
  code: string;
  /** True if the same statement may succeed later. */
  isPassing?: boolean;
}

const syntax: Kind = { code: 'SQL_SYNTAX' };
const denied: Kind = { code: 'SQL_DENIED' };
const login: Kind = { code: 'SQL_LOGIN' };
const constraint: Kind = { code: 'SQL_CONSTRAINT' };
const data: Kind = { code: 'SQL_DATA' };
const parameters: Kind = { code: 'SQL_PARAMETERS' };
const readOnly: Kind = { code: 'SQL_READ_ONLY' };
const conflict: Kind = { code: 'SQL_CONFLICT', isPassing: true };
const timeout: Kind = { code: 'SQL_TIMEOUT', isPassing: true };
const unavailable: Kind = { code: 'SQL_UNAVAILABLE', isPassing: true };

/** Keyed by error numbers of MySQL and MariaDB, for errors whose SQLSTATE is not specific enough. */
const byNumber: Readonly<Record<number, Kind>> = {
  1040: unavailable,
  1044: denied,
  1045: login,
  1048: constraint,
  1049: login,
  1053: unavailable,
  1142: denied,
  1143: denied,
  1203: unavailable,
  1205: conflict,
  1210: parameters,
  1213: conflict,
  1227: denied,
  1364: constraint,
  1370: denied,
  1792: readOnly,
  1969: timeout,
  3024: timeout,
  3819: constraint,
  4025: constraint,
};

/** Keyed by the beginning of the SQLSTATE. The longest match decides. */
const byState: Readonly<Record<string, Kind>> = {
  '08': unavailable,
  '08P01': parameters,
  '21': data,
  '22': data,
  '23': constraint,
  '25006': readOnly,
  '28': login,
  '3D': login,
  '40': conflict,
  '42': syntax,
  '42501': denied,
  '53': unavailable,
  '55P03': conflict,
  '57014': timeout,
  '57P': unavailable,
};

interface ServerError {
  message: string;
  state: string;
  number?: number;
  constraint?: string;
  /** The character in the statement, counted from 1. */
  position?: number;
}

/** Reads the error that the server reported for the statement; undefined for any other error. */
function readServerError(error: unknown): ServerError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errno, sqlState, constraint: name, position, severity } = error as unknown as Record<string, unknown>;
  if (typeof sqlState === 'string' && sqlState !== '' && typeof errno === 'number')
    return { message: error.message, state: sqlState, number: errno };
  if (typeof severity !== 'string' || typeof code !== 'string') return undefined;
  return {
    message: error.message,
    state: code,
    ...(typeof name === 'string' && { constraint: name }),
    ...(typeof position === 'string' && { position: Number(position) }),
  };
}

function findKind({ state, number }: ServerError): Kind {
  const numbered = number === undefined ? undefined : byNumber[number];
  if (numbered) return numbered;
  for (let length = state.length; length >= 2; length -= 1) {
    const found = byState[state.slice(0, length)];
    if (found) return found;
  }
  return { code: 'SQL_FAILED' };
}

/** Egress errors after which another attempt may succeed. */
const passing: ReadonlySet<EgressError['code']> = new Set(['dns', 'connect', 'disconnected', 'timeout', 'closed']);

/** The failure of a statement. A transaction that was not committed has changed nothing, so it may be repeated. */
export function toFailure(
  error: unknown,
  { statement, where, wasCommitting }: { statement: string; where: string; wasCommitting: boolean },
): NodeError {
  const said = readServerError(error);
  if (said) {
    const { code, isPassing = false } = findKind(said);
    return new NodeError(code, said.message, {
      retryable: isPassing,
      details: {
        sqlstate: said.state,
        ...(said.constraint !== undefined && { constraint: said.constraint }),
        ...(said.position !== undefined && placeAt(statement, said.position)),
      },
    });
  }
  if (wasCommitting)
    return new NodeError(
      'SQL_OUTCOME_UNKNOWN',
      'The connection was lost while the transaction was committed, so the server may have done the work or not. Look before you repeat it.',
    );
  if (error instanceof NodeError) return error;
  const { code, message } = readConnectionError(error, where);
  return new NodeError(`SQL_${code.toUpperCase()}`, message, { retryable: passing.has(code), cause: error });
}

const noTls = /does not support (?:SSL|secure) connection/;
const lost = /Connection terminated|Connection lost|closed state|ended by the other party/;

/** Recognises failures for which drivers have no codes by the message of the driver or the socket. */
function readConnectionError(error: unknown, where: string): EgressError {
  const text = error instanceof Error ? error.message : '';
  if (noTls.test(text))
    return new EgressError(
      'tls',
      `${where} offers no TLS. Set "tls" of the credential to "off" only if nobody can read the network between.`,
    );
  if (error instanceof Error && 'code' in error && error.code === 'HANDSHAKE_SSL_ERROR')
    return new EgressError('tls', `The TLS connection to ${where} failed: ${text.split(';')[0]}.`);
  if (lost.test(text)) return new EgressError('disconnected', `${where} closed the connection.`);
  const known = toEgressError(error, where);
  return known.code === 'protocol'
    ? new EgressError('protocol', `${where} did not answer as a database of the credential's type does.`)
    : known;
}

function placeAt(statement: string, position: number): { line: number; column: number } {
  const before = Array.from(statement)
    .slice(0, position - 1)
    .join('');
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
