import { z } from 'zod';
import { environment } from '#src/process/env.ts';

export const configurationFile = new URL('../docs/configuration.md', import.meta.url);

interface Variable {
  description?: string;
  default?: string | number;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

/** docs/configuration.md, from the schema that reads the environment. Throws when a variable has no description. */
export function configurationPage(): string {
  const { properties = {} } = z.toJSONSchema(environment, { io: 'input', unrepresentable: 'any' });
  const rows = Object.entries(properties as Record<string, Variable>).map(([name, variable]) => {
    if (!variable.description) throw new Error(`${name} has no description; give it one in src/process/env.ts.`);
    return `| \`${name}\` | ${describeValues(variable)} | ${describeDefault(variable)} | ${variable.description} |`;
  });
  return `# Configuration

Everything is set by environment variables; a wrong value stops the start with a sentence that names it. This page is made
from \`src/process/env.ts\` by \`npm run generate\`.

| Variable | Values | Default | Meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

function describeValues({ enum: values, minimum, maximum, minLength }: Variable): string {
  if (values) return values.map((value) => `\`${value}\``).join(' ');
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) return `${minimum ?? 0} to ${maximum}`;
  return minLength === undefined ? 'text' : `at least ${minLength} characters`;
}

const describeDefault = ({ default: value }: Variable): string =>
  value === undefined || value === '' ? '' : `\`${value}\``;
