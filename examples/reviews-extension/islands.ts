import type { Islands } from '@causeway/extension-kit';
import { html } from '@causeway/extension-kit/html';
import { findReviews } from './reviews.ts';
import type manifest from './theme-extensions.json';

/** One function for each island of the manifest. Its props are the values of the block's settings. */
export const islands: Islands<typeof manifest> = {
  ReviewSummary({ heading, sku, scale, colour }) {
    const ratings = findReviews(sku).map(({ rating }) => rating);
    if (ratings.length === 0) return html`<p class="opinio-summary">No reviews yet.</p>`;
    const outOf = scale === 'ten' ? 10 : 5;
    const average = ((ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length / 5) * outOf).toFixed(1);
    return html`<section class="opinio-summary">
      <h2>${heading}</h2>
      <opinio-stars data-rating="${average}" data-out-of="${outOf}" data-colour="${colour}"
        >${average} of ${outOf}</opinio-stars
      >
      <p>${ratings.length} reviews</p>
    </section>`;
  },
  ReviewList({ sku, most, names }) {
    const shown = findReviews(sku).slice(0, most);
    return html`<ol class="opinio-list">
      ${shown.map(
        ({ rating, text, author }) =>
          html`<li>
            <strong>${rating}/5</strong>
            ${text} ${names && html`<cite>${author}</cite>`}
          </li>`,
      )}
    </ol>`;
  },
};
