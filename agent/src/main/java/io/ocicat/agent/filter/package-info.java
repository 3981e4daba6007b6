/**
 * What the node's packet filter should enforce, as values: the border between policy, which is
 * computed from resources and labels, and nf_tables, which knows neither.
 */
@NullMarked
package io.ocicat.agent.filter;

import org.jspecify.annotations.NullMarked;
