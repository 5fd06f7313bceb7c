# shellcheck shell=bash disable=SC2034
# slurm.bash - a Slurm of one machine for tests: its own munge key and socket, its own ports, all in a private folder. Sourced.
#   slurm_start CPUS      0: it is up, and SLURM_CONF names it; 77: not here, with the reason in $slurm_reason
#   slurm_stop            ends its daemons and what they started, removes the folder; call it from a trap
# Works as root or not, in a container, without systemd, control groups or a network.
slurm_home=
slurm_reason=
PATH=$PATH:/usr/sbin:/sbin

slurm_missing() { # the reason, if a program is not there
    local program
    for program in munged slurmctld slurmd sbatch squeue scancel sinfo; do
        command -v "$program" >/dev/null || {
            slurm_reason="no $program (packages slurm-wlm, munge)"
            return 0
        }
    done
    return 1
}

slurm_port_is_free() { # PORT
    ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

slurm_configure() { # CPUS
    local host port=$((20000 + RANDOM % 20000))
    host=$(hostname -s)
    until slurm_port_is_free $port && slurm_port_is_free $((port + 1)); do port=$((port + 2)); done
    cat >"$slurm_home/slurm.conf" <<END
ClusterName=orrery
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm_home/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm_home/state
SlurmdSpoolDir=$slurm_home/spool
SlurmctldPidFile=$slurm_home/slurmctld.pid
SlurmdPidFile=$slurm_home/slurmd.pid
SlurmctldLogFile=$slurm_home/slurmctld.log
SlurmdLogFile=$slurm_home/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=10000,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$1 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES State=UP MaxTime=10
END
    export SLURM_CONF=$slurm_home/slurm.conf
}

slurm_fails() { # WHAT LOG: the reason
    slurm_reason="$1: $(grep -iE 'error|fatal' "$2" 2>/dev/null | tail -n 1 | cut -c 1-200)"
    slurm_stop
    return 77
}

slurm_start() { # CPUS
    slurm_missing && return 77
    slurm_home=$(mktemp -d "${TMPDIR:-/tmp}/orrery-slurm.XXXXXX")
    chmod 755 "$slurm_home" # munged wants that others cannot write
    mkdir "$slurm_home/state" "$slurm_home/spool"
    dd if=/dev/urandom of="$slurm_home/munge.key" bs=128 count=1 2>/dev/null
    chmod 400 "$slurm_home/munge.key"
    slurm_configure "$1"
    munged --force --key-file="$slurm_home/munge.key" --socket="$slurm_home/munge.socket" \
        --pid-file="$slurm_home/munged.pid" --log-file="$slurm_home/munged.log" \
        --seed-file="$slurm_home/munged.seed" >/dev/null 2>&1 || {
        slurm_fails munged "$slurm_home/munged.log"
        return
    }
    slurmctld -i >"$slurm_home/slurmctld.said" 2>&1
    slurmd >"$slurm_home/slurmd.said" 2>&1
    for _ in $(seq 100); do
        sinfo -h -o %t 2>/dev/null | grep -q '^idle' && return 0
        sleep 0.1
    done
    cat "$slurm_home"/*.said >>"$slurm_home/slurmctld.log"
    slurm_fails "no node came up" "$slurm_home/slurmctld.log"
}

slurm_stop() {
    local name pid
    [ -n "$slurm_home" ] || return 0
    [ -f "$slurm_home/slurmctld.pid" ] && timeout 5 scancel --user="$(id -un)" 2>/dev/null
    for name in slurmd slurmctld munged; do
        pid=$(cat "$slurm_home/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null
        for _ in $(seq 30); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null
    done
    rm -rf "$slurm_home"
    slurm_home=
    unset SLURM_CONF
}
