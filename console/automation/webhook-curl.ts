interface Verify {
  verifier?: string;
  config?: Readonly<Record<string, unknown>>;
  secret_ref?: string | readonly string[];
}

/** An example call of a webhook with curl. The command reads secrets from shell variables instead of containing them. */
export interface WebhookCurl {
  /** What the caller is given: with a verifier it names the tenant. */
  address: string;
  command: string;
  /** The key of the tenant's secret that belongs into `SECRET`; null where `TOKEN` is needed. */
  secret: string | null;
}

const body = '{"order_no":"SO-1001"}';

/** The call of a webhook trigger with `curl`: by a token, or by what the `verify` of its config asks. */
export function webhookCurl(url: string, config: unknown, tenant: string): WebhookCurl {
  const { verifier, config: known = {}, secret_ref: ref } = readVerify(config);
  if (verifier === undefined)
    return {
      address: url,
      command: curl(url, ['"Authorization: Bearer $TOKEN"', `"X-Tenant-Id: ${escaped(tenant)}"`]),
      secret: null,
    };
  const address = `${url}?tenant=${encodeURIComponent(tenant)}`;
  const { first = [], headers = [], user } = senders[verifier]?.(known) ?? {};
  return { address, command: [...first, curl(address, headers, user)].join('\n'), secret: [ref].flat()[0] ?? '' };
}

/** What a caller sends with the body, and the lines of shell before it; headers stand in quotes. */
interface Sender {
  first?: readonly string[];
  headers?: readonly string[];
  user?: string;
}

type Known = Readonly<Record<string, unknown>>;

const setBody = `BODY='${body}'`;
const setTime = 'TIME=$(date +%s)';

const senders: Readonly<Record<string, (config: Known) => Sender>> = {
  platform_v0: () => ({
    first: [setBody, setTime, sign('sha256', 'hex', '$BODY')],
    headers: ['"X-Platform-Id: call-$TIME"', '"X-Platform-Timestamp: $TIME"', '"X-Platform-Signature: v0=$SIGNATURE"'],
  }),
  standard_webhooks: ({ header_prefix: given }) => {
    const prefix = textOf(given, 'webhook');
    return {
      first: [
        setBody,
        setTime,
        // A secret is base64 after whsec_, or any other text; openssl takes the key of either in hex.
        `KEY=$(case $SECRET in *whsec_*) printf %s "\${SECRET#*whsec_}" | openssl base64 -d -A ;; *) printf %s "$SECRET" ;; esac | od -An -v -tx1 | tr -d ' \\n')`,
        `SIGNATURE=$(printf %s "call-$TIME.$TIME.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)`,
      ],
      headers: [`"${prefix}-id: call-$TIME"`, `"${prefix}-timestamp: $TIME"`, `"${prefix}-signature: v1,$SIGNATURE"`],
    };
  },
  hmac: ({ header, algorithm, encoding, prefix, pairs, ...more }) => {
    const { timestamp, signature } = (pairs ?? {}) as Known;
    const signed = `${escaped(prefix)}$SIGNATURE`;
    const value = pairs ? `${escaped(timestamp)}=$TIME,${escaped(signature)}=${signed}` : signed;
    return {
      first: [setBody, setTime, sign(textOf(algorithm), textOf(encoding), pairs ? '$TIME.$BODY' : '$BODY')],
      headers: [`"${escaped(header)}: ${value}"`, ...idHeader(more)],
    };
  },
  basic: ({ username, ...more }) => ({
    ...withId(more),
    user: `"${escaped(username)}:$SECRET"`,
  }),
  api_key: ({ header, ...more }) => {
    const { first = [], headers = [] } = withId(more);
    return { first, headers: [`"${escaped(header)}: $SECRET"`, ...headers] };
  },
};

const withId = (config: Known): Sender => {
  const headers = idHeader(config);
  return headers.length === 0 ? {} : { first: [setTime], headers };
};

const idHeader = ({ id_header: header }: Known): string[] =>
  header === undefined ? [] : [`"${escaped(header)}: call-$TIME"`];

const sign = (algorithm: string, encoding: string, text: string): string =>
  `SIGNATURE=$(printf %s "${text}" | openssl dgst -${algorithm} -hmac "$SECRET" ${
    encoding === 'base64' ? '-binary | openssl base64 -A' : "-r | cut -d' ' -f1"
  })`;

/** `headers` and `user` stand in quotes. A sender that signs has set the body before. */
const curl = (address: string, headers: readonly string[], user?: string): string =>
  [
    `curl -X POST "${escaped(address)}"`,
    ...(user === undefined ? [] : [`-u ${user}`]),
    ...[...headers, '"Content-Type: application/json"'].map((header) => `-H ${header}`),
    headers.some((header) => header.includes('$SIGNATURE')) ? '-d "$BODY"' : `-d '${body}'`,
  ].join(' \\\n  ');

const readVerify = (config: unknown): Verify => (config as { verify?: Verify } | null)?.verify ?? {};

const textOf = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise);

/** Text for between double quotes of a shell. */
const escaped = (value: unknown): string => textOf(value).replaceAll(/["$`\\]/g, '\\$&');
