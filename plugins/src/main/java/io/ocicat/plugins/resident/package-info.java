/**
 * What a plugin offers, in addition to serving calls, to a process that stays: the work that goes
 * on between calls, and the server that it needs. A plugin implements what applies to it.
 */
@NullMarked
package io.ocicat.plugins.resident;

import org.jspecify.annotations.NullMarked;
