import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import type { SentFile } from './draft.ts';
import { DryRun } from './dry-run.tsx';
import { freeName } from './free-name.ts';
import { newImportWords as w } from './new-import.words.ts';
import type { Profile, Settings } from './settings.ts';
import { useStart } from './use-start.ts';

interface Props {
  sent: SentFile;
  settings: Settings;
  /** The profile that was chosen, which the settings are saved into. */
  profile: Profile | undefined;
  profiles: readonly Profile[];
  isReady: boolean;
  /** Called once the import goes on without this page. */
  started: () => void;
}

/** Saves the settings as a profile, tries the import, and runs it. */
export function RunImport({ sent, settings, profile, profiles, isReady, started }: Props) {
  const id = useId();
  const navigate = useNavigate();
  const { tenant = '' } = useParams({ strict: false });
  const { start, busy, refusal } = useStart(profile);
  const [typed, setTyped] = useState<string>();
  const name = typed ?? freeName(sent.name, profiles);
  const [tried, setTried] = useState<{ job: string; uploadId: string }>();
  const [job, setJob] = useState<string>();
  // Only once the question about unsaved input is taken back.
  useEffect(() => {
    if (job) void navigate({ to: '/t/$tenant/$noun/$id', params: { tenant, noun: 'imports', id: toAddressId(job) } });
  }, [job, navigate, tenant]);
  const run = async (dryRun: boolean) => {
    const { uploadId } = sent;
    const made = await start({ uploadId, name: profile?.name ?? name, settings, dryRun });
    if (made && dryRun) setTried({ job: made, uploadId });
    else if (made) {
      started();
      setJob(made);
    }
  };
  const nameFault = refusal?.fields['name'];
  return (
    <section className="section" aria-labelledby={`${id}-run`}>
      <h2 id={`${id}-run`}>{w.run}</h2>
      {profile ? (
        <p className="quiet">{w.savedInto(profile.name)}</p>
      ) : (
        <div className={nameFault ? 'field field-wrong import-name' : 'field import-name'}>
          <label htmlFor={`${id}-name`}>{w.name}</label>
          <input
            id={`${id}-name`}
            className="input"
            aria-invalid={nameFault !== undefined}
            maxLength={191}
            value={name}
            onChange={(event) => setTyped(event.target.value)}
          />
          {nameFault && (
            <p className="field-error" role="alert">
              {nameFault}
            </p>
          )}
          <p className="field-help">{w.nameHelp}</p>
        </div>
      )}
      {refusal && !nameFault && (
        <p className="refusal" role="alert">
          {[refusal.message, ...Object.values(refusal.fields)].join(' ')}
        </p>
      )}
      <div className="panel-actions">
        <Button isDisabled={!isReady || busy === 'import'} isBusy={busy === 'try'} onPress={() => void run(true)}>
          {w.dryRun}
        </Button>
        <Button
          kind="main"
          isDisabled={!isReady || busy === 'try'}
          isBusy={busy === 'import'}
          onPress={() => void run(false)}
        >
          {w.import}
        </Button>
      </div>
      {tried && <DryRun key={tried.job} id={tried.job} />}
    </section>
  );
}
