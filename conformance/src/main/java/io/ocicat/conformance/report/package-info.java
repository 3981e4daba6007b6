/** Reports of the checks' findings: for people, for CI servers and for programs. */
@NullMarked
package io.ocicat.conformance.report;

import org.jspecify.annotations.NullMarked;
