/** Shows `data-rating` of `data-out-of` as stars, in `data-colour`. Without this script the text in the element is shown. */
class Stars extends HTMLElement {
  connectedCallback() {
    const { rating, outOf, colour } = this.dataset;
    const full = Math.round(Number(rating));
    this.setAttribute('role', 'img');
    this.setAttribute('aria-label', `${rating} of ${outOf}`);
    this.style.color = colour;
    this.textContent = '★'.repeat(full) + '☆'.repeat(Number(outOf) - full);
  }
}

customElements.define('opinio-stars', Stars);
