import { Component, type ReactNode } from 'react';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { shellWords } from './shell.words.ts';

interface Props {
  children: ReactNode;
}

/** Keeps the rest of the page when a part of it fails, and says what to do. */
export class ErrorBoundary extends Component<Props, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    // A chunk of an older build is gone from the server.
    const isOld = /dynamically imported module|Importing a module script failed/i.test(error.message);
    return (
      <div className="failed-box" role="alert">
        <PageHeading text={isOld ? shellWords.newer : shellWords.failed} />
        {!isOld && (
          <>
            <p>{shellWords.failedHelp}</p>
            <pre className="error-text">{error.message}</pre>
          </>
        )}
        <button type="button" className="button button-main" onClick={() => location.reload()}>
          {shellWords.reload}
        </button>
      </div>
    );
  }
}
