import './blocks/blocks.graphql.ts';
import './extensions/extensions.graphql.ts';
import './installations/installations.graphql.ts';
import './islands/islands.graphql.ts';
import './reviews/reviews.graphql.ts';
import './themes/themes.graphql.ts';
