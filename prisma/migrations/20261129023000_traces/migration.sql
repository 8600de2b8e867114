-- What started a run, fired a trigger or published an event, in a distributed trace: the header of W3C Trace Context.
ALTER TABLE "runs" ADD COLUMN "traceparent" text;
ALTER TABLE "dead_letters" ADD COLUMN "traceparent" text;
ALTER TABLE "webhook_payloads" ADD COLUMN "traceparent" text;
