/** Pod sandboxes: run, stopped, removed, looked at. */
@NullMarked
package io.ocicat.sandbox.pods;

import org.jspecify.annotations.NullMarked;
