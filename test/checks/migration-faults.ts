import { concurrentStatements, sqlStatements } from '#src/infra/migrations/concurrent-indexes.ts';

/** Tables that people fill by hand, or that hold a row for something of the kind. Every other table may be large. */
const smallTables = new Set([
  'attributes',
  'credential_types',
  'http_sources',
  'import_profiles',
  'inbound_endpoints',
  'orgs',
  'price_lists',
  'sftp_accounts',
  'tenants',
  'themes',
  'transfers',
  'webhook_queues',
  'workflows',
]);

const anyName = '"?([\\w%]+)"?';
const onTable = (pattern: string): RegExp => new RegExp(pattern.replaceAll(' ', '\\s+').replace('@', anyName), 'i');
const alter = 'ALTER TABLE (?:IF EXISTS )?(?:ONLY )?';

/** The effect of a statement on a table while everybody waits for it, and what to do instead. The table is the first group. */
const rules: [pattern: RegExp, fault: string][] = [
  [
    onTable('CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?(?:"?\\w+"? )?ON (?:ONLY )?@'),
    'keeps writes out while it builds an index: build it CONCURRENTLY, in a migration of its own',
  ],
  [
    onTable(`${alter}@ (?=[^;]*\\bALTER (?:COLUMN )?"?\\w+"? (?:SET DATA )?TYPE\\b)`),
    'rewrites the table to change a type: add another column, fill it in batches, and read that one',
  ],
  [
    onTable(
      `${alter}@ (?=[^;]*\\bADD (?:COLUMN )?(?!CONSTRAINT)"?\\w+"? [^;]*(?:\\bSTORED\\b|\\bIDENTITY\\b|SERIAL\\b|DEFAULT (?!now\\(|transaction_timestamp\\()"?\\w+"?\\())`,
    ),
    'rewrites the table to compute a column: add it without a value, and fill it in batches',
  ],
  [onTable(`${alter}@ (?=[^;]*\\bSET (?:LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)\\b)`), 'rewrites the table'],
  [
    onTable(`${alter}@ (?=[^;]*\\bSET NOT NULL\\b)`),
    'reads the whole table under a lock: add a CHECK that is NOT VALID, and validate it in a migration of its own',
  ],
  [
    onTable(`${alter}@ (?=[^;]*\\bADD [^;]*(?:\\bCHECK\\b|\\bREFERENCES\\b))(?![^;]*\\bNOT VALID\\b)`),
    'reads the whole table under a lock: add the constraint NOT VALID, and validate it in a migration of its own',
  ],
  [
    onTable(
      `${alter}@ (?=[^;]*\\bADD [^;]*(?:\\bPRIMARY KEY\\b|\\bUNIQUE\\b|\\bEXCLUDE\\b))(?![^;]*\\bUSING INDEX\\b)`,
    ),
    'builds an index under a lock: build it CONCURRENTLY before, and add the constraint USING INDEX',
  ],
  [onTable('^(?:VACUUM FULL|CLUSTER|REINDEX (?:TABLE|INDEX)) (?!CONCURRENTLY)@'), 'rewrites it under a lock'],
  [onTable('\\bLOCK (?:TABLE )?@'), 'locks the table'],
  [
    onTable('^(?:WITH\\b[^;]*\\b)?(?:UPDATE|DELETE FROM) (?:ONLY )?@'),
    'changes rows in one transaction, for which their writers wait: let a periodic task do it in batches',
  ],
];

/** Statements whose text names tables without touching their rows. */
const harmless = /^(CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|PROCEDURE|TRIGGER|POLICY|VIEW)|GRANT|REVOKE|COMMENT)\b/i;

/** The statements of a block of code, also those that it puts together. */
function blockStatements(block: string): string[] {
  const [, , body = ''] = /\$(\w*)\$([\s\S]*)\$\1\$/.exec(block) ?? [];
  return sqlStatements(body.replaceAll("'", ' '))
    .flatMap((statement) => statement.split(/\b(?:BEGIN|THEN|ELSE|LOOP|EXECUTE|format\s*\()/i))
    .map((statement) => statement.trim());
}

/** The locks of a migration that other queries of large tables would wait for. Tables that it creates itself are empty. */
export function migrationFaults(sql: string): string[] {
  const statements = sqlStatements(sql).flatMap((statement) =>
    /^DO\b/i.test(statement) ? blockStatements(statement) : [statement],
  );
  const created = new Set(
    [...sql.matchAll(/CREATE\s+(?:TEMP\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/gi)].map(([, name]) => name),
  );
  const isLarge = (table: string | undefined): table is string =>
    table !== undefined && !created.has(table) && !smallTables.has(table);
  const faults = statements
    .filter((statement) => !harmless.test(statement))
    .flatMap((statement) =>
      rules.flatMap(([pattern, fault]) => {
        const table = pattern.exec(statement)?.[1];
        return isLarge(table) ? [`${table}: ${fault}`] : [];
      }),
    );
  const validating = statements.filter((statement) => /\bVALIDATE\s+CONSTRAINT\b/i.test(statement));
  if (validating.length > 0 && validating.length < statements.length) {
    faults.push('a constraint is validated under the locks of the other statements: use a migration of its own');
  }
  try {
    concurrentStatements(sql);
  } catch (error) {
    faults.push((error as Error).message);
  }
  return faults;
}
