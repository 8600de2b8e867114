-- The end of a run that a worker cancels is audited with the user who asked for it.
ALTER TABLE "runs" ADD COLUMN "cancel_requested_sub" TEXT, ADD COLUMN "cancel_requested_email" TEXT;

-- What users do to runs (fire, cancel, retry, rerun, resume, replay, discard) now runs as causeway_app, in the scope of the
-- user's tenant. Its rights on runs, run_payloads, run_results, run_keys, steps, dead_letters and their payloads, audit_entries and
-- outbox_events, each under the policy "tenant", were granted when the tables were made; nothing is added. event_chains stays
-- with causeway_system: the relay counts chains across a batch of all tenants. The queue's rights stand in src/infra/jobs.ts.
