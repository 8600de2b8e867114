-- Recipients can be notified of triggers whose polls fail.
ALTER TABLE "alerts" DROP CONSTRAINT "alerts_kind_check";
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_kind_check" CHECK (
    "kind" IN ('failed_runs', 'dead_letters', 'disabled_destinations', 'expiring_credentials', 'failing_polls')
) NOT VALID;
