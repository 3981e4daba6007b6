/** Reconcilers: each compares desired with actual state of what it owns, and sends one batch. */
@NullMarked
package io.ocicat.agent.kernel;

import org.jspecify.annotations.NullMarked;
