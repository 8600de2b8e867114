import { Link } from '@tanstack/react-router';
import { ListLink } from '#console/ui/object-link.tsx';
import { overviewWords as w } from './overview.words.ts';

/** What to do first in a tenant where nothing has run. */
export const FirstSteps = () => (
  <section className="section" aria-labelledby="first-steps">
    <h2 id="first-steps">{w.firstSteps}</h2>
    <p>{w.firstStepsHelp}</p>
    <p className="first-steps">
      <ListLink noun="workflows" search={{ do: 'add' }} className="button button-primary">
        {w.createWorkflow}
      </ListLink>
      <ListLink noun="templates" className="button">
        {w.fromTemplate}
      </ListLink>
      <ListLink noun="imports" className="button">
        {w.importFile}
      </ListLink>
      <Link to="/docs/$page" params={{ page: 'first-workflow' }}>
        {w.openGuide}
      </Link>
    </p>
  </section>
);
