/** What every engine of the datastore must do, as suites to be run against each. */
@NullMarked
package io.ocicat.datastore.contract;

import org.jspecify.annotations.NullMarked;
