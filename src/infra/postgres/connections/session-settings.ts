/** The roles that the product acts as. */
export type DatabaseRole = 'causeway_app' | 'causeway_system';

/** Parameters of the server by name. Names and values are constants of the code, and have no quotes or spaces. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Code that executes runs works by key: it joins arrays of keys to tables by their primary key. On tables that have grown since they
 * were last analysed, the planner prefers to scan them whole: a claim of 100 runs then took 60 ms instead of 4.
 */
const keyedPlans = Object.fromEntries(
  ['seqscan', 'hashjoin', 'mergejoin', 'material', 'bitmapscan'].map((node) => [`enable_${node}`, 'off']),
);

/** Settings of connections that execute runs, besides those of every session. */
export const forKeyedWork: SessionSettings = {
  ...keyedPlans,
  // Arrays of keys are passed, so a plan for the actual values is no better than a generic one. By default Postgres replanned each
  // execution for seconds on end, which took a tenth of the execution time.
  plan_cache_mode: 'force_generic_plan',
  // Transactions wait for nothing but the database. An idle one belongs to a stopped process, and the processes that take over its work
  // need the rows that it has locked.
  idle_in_transaction_session_timeout: '5000',
};

/**
 * The settings of a session of a role. `causeway.session_role` is the role that a transaction returns to after it has acted as another:
 * through a pooler, RESET ROLE would return to the login.
 */
export const sessionSettings = (
  role: DatabaseRole,
  statementMs: number,
  added: SessionSettings = {},
): SessionSettings => ({
  role,
  'causeway.session_role': role,
  timezone: 'UTC',
  statement_timeout: String(statementMs),
  idle_in_transaction_session_timeout: '60000',
  ...added,
});

/** The settings as start-up options of a connection. */
export const toOptions = (settings: SessionSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
