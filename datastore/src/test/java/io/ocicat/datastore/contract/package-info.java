/** Contract tests, to be run against each datastore engine. */
@NullMarked
package io.ocicat.datastore.contract;

import org.jspecify.annotations.NullMarked;
