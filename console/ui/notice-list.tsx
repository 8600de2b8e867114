import { useSyncExternalStore } from 'react';
import { common } from '#console/words/common.words.ts';
import { readNotices, subscribeNotices } from './notices.ts';

/** Shows notices at the foot of the page; screen readers announce each new one. */
export function NoticeList() {
  const notices = useSyncExternalStore(subscribeNotices, readNotices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map(({ key, kind, text, action, close }) => (
        <div key={key} className={`notice notice-${kind}`}>
          <span>{text}</span>
          {action && (
            <button type="button" className="bare" onClick={action.run}>
              {action.label}
            </button>
          )}
          <button type="button" className="bare" aria-label={common.close} onClick={() => close()}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
