/**
 * Tiers, policies, profiles, endpoints and network sets as policy sees them: read from resources
 * once, selectors assembled, and whatever cannot be read turned into something that fails closed.
 */
@NullMarked
package io.ocicat.agent.policy.model;

import org.jspecify.annotations.NullMarked;
