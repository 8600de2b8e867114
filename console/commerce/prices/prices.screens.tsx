import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { serverNow } from '#console/ui/clock.ts';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import type { AddressValues } from '#console/ui/screens/filters.ts';
import type { Screens } from '#console/ui/screens/screen.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { ToneShape } from '#console/ui/state.tsx';
import { moneyText, numberText } from '#console/words/values.ts';
import type { Price, Resolution } from './explain.ts';
import { PriceChain } from './price-chain.tsx';
import { ExplainPrice } from './prices.documents.ts';
import { priceWords as w } from './prices.words.ts';
import { QuestionForm } from './question-form.tsx';
import { type Question, questionOf, variablesOf } from './question.ts';

/** Says what an article costs a buyer, and why. The question is in the address. */
function PricesPage() {
  const address: AddressValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const asked = questionOf(address);
  const ask = (question: Question) => void navigate({ to: '.', search: () => ({ ...question }) });
  return (
    <div className="detail-page">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={w.title} />
        </div>
        <QuestionForm key={JSON.stringify(asked)} asked={asked} ask={ask} />
      </header>
      <div className="price-answer">
        {asked.sku.trim() === '' ? <p className="quiet">{w.ask}</p> : <Explanation question={asked} />}
      </div>
    </div>
  );
}

function Explanation({ question }: { question: Question }) {
  const [{ data, error, fetching }, read] = useQuery({
    query: ExplainPrice,
    variables: variablesOf(question),
    requestPolicy: 'cache-and-network',
  });
  const found = data?.resolvePrices[0];
  if (error) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!found || fetching) return <Skeleton rows={8} />;
  const isCheapest = data.commerceSettings.priceStrategy === 'CHEAPEST';
  const prices: ReadonlyMap<string, readonly Price[]> = Map.groupBy(
    data.prices.edges.map(({ node }) => node),
    ({ list }) => list,
  );
  return (
    <>
      <Answer found={found} currency={variablesOf(question).currency} />
      {found.trace.length > 0 && <h2>{w.chain}</h2>}
      <p className="quiet">{found.trace.length > 0 ? w.strategy(isCheapest) : w.noLists}</p>
      <PriceChain
        {...{ question, found, isCheapest, prices }}
        at={question.at === '' ? serverNow() : Date.parse(question.at)}
      />
    </>
  );
}

function Answer({ found, currency }: { found: Resolution; currency: string }) {
  const { amount, list, tier, nextTier, taxIncluded } = found;
  if (amount === null)
    return (
      <div role="status">
        <p className="price-amount state-failed">
          <ToneShape tone="failed" /> {w.noPrice}
        </p>
        <p>{w.noPriceHelp}</p>
      </div>
    );
  return (
    <div role="status">
      <p className="price-amount">
        {w.each(moneyText(amount, currency))}
        {taxIncluded && <span className="quiet"> {w.withTax}</span>}
      </p>
      <p>
        {w.from(list ?? '', numberText(tier?.quantityFrom ?? ''))}{' '}
        {nextTier && w.nextTier(numberText(nextTier.quantityFrom), moneyText(nextTier.amount, currency))}
      </p>
    </div>
  );
}

export const prices: Screens = { page: () => <PricesPage /> };
